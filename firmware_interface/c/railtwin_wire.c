/* Reference encoder and decoder of the RailTwin wire: C99, no allocation, no globals that change.
 *
 * One frame is: version, kind, sequence, ticks, payload, CRC-32; then COBS; then a zero byte.
 */
#include "railtwin_wire.h"

enum { DELIMITER = 0, COBS_FULL = 0xFF, CRC_SIZE = 4 };

/* CRC-32 of bytes followed by their own CRC-32: the same for all of them. */
static const uint32_t CRC_RESIDUE = 0x2144DF1Cu;

uint32_t railtwin_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
    /* Half a byte at a time: 64 bytes of table, eight times as fast as bit by bit. */
    static const uint32_t table[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
        0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
    };
    crc = ~crc;
    for (size_t i = 0; i < size; ++i) {
        crc ^= data[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}

/* COBS while writing: the packet is never held twice. The caller has made sure of the room. */
typedef struct {
    uint8_t *at;   /* next free byte */
    uint8_t *code; /* length byte of the open group; NULL when the last group was full */
} cobs_writer;

static void open_group(cobs_writer *writer)
{
    writer->code = writer->at++;
    *writer->code = 1;
}

static void cobs_write(cobs_writer *writer, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        if (writer->code == NULL) open_group(writer);
        if (data[i] == DELIMITER) {
            open_group(writer);
        } else {
            *writer->at++ = data[i];
            if (++*writer->code == COBS_FULL) writer->code = NULL;
        }
    }
}

size_t railtwin_encode(uint8_t *frame, size_t room, const railtwin_packet *packet)
{
    if (packet->size > RAILTWIN_MAX_PAYLOAD) return 0;
    const size_t raw = RAILTWIN_OVERHEAD + packet->size;
    if (room < raw + (raw + 253) / 254 + 1) return 0;

    uint8_t header[RAILTWIN_HEADER_SIZE];
    header[0] = RAILTWIN_VERSION;
    header[1] = packet->kind;
    railtwin_put(header + 2, packet->sequence, 2);
    railtwin_put(header + 4, packet->ticks, 8);

    uint8_t check[CRC_SIZE];
    uint32_t crc = railtwin_crc32(0, header, sizeof header);
    if (packet->size > 0) crc = railtwin_crc32(crc, packet->payload, packet->size);
    railtwin_put(check, crc, CRC_SIZE);

    cobs_writer writer = {frame, NULL};
    cobs_write(&writer, header, sizeof header);
    if (packet->size > 0) cobs_write(&writer, packet->payload, packet->size);
    cobs_write(&writer, check, sizeof check);
    *writer.at++ = DELIMITER;
    return (size_t)(writer.at - frame);
}

/* Decodes in place, which COBS allows: the output never overtakes the input. Gives 1, or 0 for bytes that are not
 * COBS. */
static int cobs_decode(uint8_t *data, size_t *size)
{
    size_t in = 0, out = 0;
    while (in < *size) {
        const size_t code = data[in++];
        if (in + code - 1 > *size) return 0;
        for (size_t i = 1; i < code; ++i) data[out++] = data[in++];
        if (code < COBS_FULL && in < *size) data[out++] = DELIMITER;
    }
    *size = out;
    return 1;
}

/* Checks from the outside in; the first thing wrong is counted. */
static int close_frame(railtwin_decoder *decoder, railtwin_packet *packet)
{
    railtwin_counts *counts = &decoder->counts;
    uint8_t *raw = decoder->frame;
    size_t size = decoder->length;

    ++counts->frames;
    if (!cobs_decode(raw, &size)) {
        ++counts->bad_cobs;
        return 0;
    }
    if (size < RAILTWIN_OVERHEAD || size > RAILTWIN_MAX_PACKET) {
        ++counts->bad_length;
        return 0;
    }
    if (railtwin_crc32(0, raw, size) != CRC_RESIDUE) {
        ++counts->bad_crc;
        return 0;
    }
    if (raw[0] != RAILTWIN_VERSION) {
        ++counts->unknown_version;
        return 0;
    }
    packet->kind = raw[1];
    packet->sequence = (uint16_t)railtwin_get(raw + 2, 2);
    packet->ticks = railtwin_get(raw + 4, 8);
    packet->payload = raw + RAILTWIN_HEADER_SIZE;
    packet->size = size - RAILTWIN_OVERHEAD;
    switch (railtwin_payload_fits(packet->kind, packet->payload, packet->size)) {
    case 1: return 1;
    case 0: ++counts->bad_length; return 0;
    default: ++counts->unknown_kind; return 0;
    }
}

void railtwin_decoder_init(railtwin_decoder *decoder)
{
    memset(decoder, 0, sizeof *decoder);
}

int railtwin_decoder_push(railtwin_decoder *decoder, uint8_t byte, railtwin_packet *packet)
{
    if (byte == DELIMITER) {
        const int good = decoder->length > 0 && close_frame(decoder, packet);
        decoder->length = 0;
        decoder->dropping = 0;
        return good;
    }
    if (decoder->dropping) return 0;
    if (decoder->length == RAILTWIN_MAX_FRAME - 1) { /* the delimiter is overdue */
        ++decoder->counts.frames;
        ++decoder->counts.oversize;
        decoder->length = 0;
        decoder->dropping = 1;
        return 0;
    }
    decoder->frame[decoder->length++] = byte;
    return 0;
}
