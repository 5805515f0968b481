/* The reference codec as a filter, for tests that hold it against another one.
 *
 *   encode   lines "kind sequence ticks payload"     to the frames, as bytes
 *   decode   frames, as bytes, damaged or not        to lines as above, at the end "counts" and the counts
 *   pack     lines "kind value value ..."            to lines "payload"
 *   unpack   lines "kind payload"                    to lines "value value ..."
 *
 * A payload is hexadecimal, "-" where empty, "refused" where it does not fit; values are decimal, in the order of
 * the schema, rows last, unsigned 64-bit ones as their signed twins.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "railtwin_wire.h"

enum { MAX_VALUES = 4096, MAX_LINE = 65536 };

static char line[MAX_LINE];
static int64_t values[MAX_VALUES];
static uint8_t bytes[RAILTWIN_MAX_PAYLOAD];

static int fail(const char *reason)
{
    fprintf(stderr, "vectors: %s\n", reason);
    return 2;
}

static size_t read_hex(const char *text, uint8_t *out, size_t room)
{
    size_t n = 0;
    unsigned value;
    while (n < room && sscanf(text + 2 * n, "%2x", &value) == 1) out[n++] = (uint8_t)value;
    return n;
}

static void write_hex(const uint8_t *data, size_t size)
{
    if (size == 0) putchar('-');
    for (size_t i = 0; i < size; ++i) printf("%02x", data[i]);
}

static size_t read_values(const char *text)
{
    size_t n = 0;
    char *end;
    while (n < MAX_VALUES) {
        const int64_t value = strtoll(text, &end, 10);
        if (end == text) break;
        values[n++] = value;
        text = end;
    }
    return n;
}

static void write_values(const int64_t *from, size_t n)
{
    for (size_t i = 0; i < n; ++i) printf("%s%" PRId64, i ? " " : "", from[i]);
    putchar('\n');
}

/* The three blocks and the profile differ in names only. */
#define PACK_BLOCK(name)                                                                      \
    {                                                                                         \
        static int16_t rows[MAX_VALUES];                                                      \
        const railtwin_##name m = {(uint32_t)v[0], (uint8_t)v[1], (uint16_t)v[2]};            \
        for (size_t i = 3; i < n; ++i) rows[i - 3] = (int16_t)v[i];                           \
        return railtwin_pack_##name(bytes, sizeof bytes, &m, rows);                           \
    }

#define UNPACK_BLOCK(name)                                                                    \
    {                                                                                         \
        static int16_t rows[MAX_VALUES];                                                      \
        railtwin_##name m;                                                                    \
        if (!railtwin_unpack_##name(&m, bytes, size, rows, MAX_VALUES - 3)) return 0;         \
        v[0] = m.period_ns, v[1] = m.channels, v[2] = m.samples;                              \
        const size_t n = (size_t)m.channels * m.samples;                                      \
        for (size_t i = 0; i < n; ++i) v[3 + i] = rows[i];                                    \
        return 3 + n;                                                                         \
    }

/* Length of the payload made of n values; 0 where refused. */
static size_t pack(uint8_t kind, const int64_t *v, size_t n)
{
    switch (kind) {
    case RAILTWIN_IMU: {
        const railtwin_imu m = {{(int32_t)v[0], (int32_t)v[1], (int32_t)v[2]},
            {(int32_t)v[3], (int32_t)v[4], (int32_t)v[5]}, (int16_t)v[6]};
        return railtwin_pack_imu(bytes, sizeof bytes, &m);
    }
    case RAILTWIN_ENCODER: {
        const railtwin_encoder m = {(int32_t)v[0], (uint8_t)v[1]};
        return railtwin_pack_encoder(bytes, sizeof bytes, &m);
    }
    case RAILTWIN_AXLE_BOX: PACK_BLOCK(axle_box)
    case RAILTWIN_BRIDGE: PACK_BLOCK(bridge)
    case RAILTWIN_LASER_DISTANCE: PACK_BLOCK(laser_distance)
    case RAILTWIN_PROFILE: {
        static int32_t rows[MAX_VALUES];
        const railtwin_profile m = {(uint8_t)v[0], (uint16_t)v[1]};
        for (size_t i = 2; i < n; ++i) rows[i - 2] = (int32_t)v[i];
        return railtwin_pack_profile(bytes, sizeof bytes, &m, rows);
    }
    case RAILTWIN_SYNC_REQUEST: {
        const railtwin_sync_request m = {(uint32_t)v[0], v[1]};
        return railtwin_pack_sync_request(bytes, sizeof bytes, &m);
    }
    case RAILTWIN_SYNC_RESPONSE: {
        const railtwin_sync_response m = {(uint32_t)v[0], v[1], (uint64_t)v[2]};
        return railtwin_pack_sync_response(bytes, sizeof bytes, &m);
    }
    case RAILTWIN_IDENTITY: {
        railtwin_identity m = {"", (uint8_t)v[16], (uint32_t)v[17], (uint32_t)v[18], (uint16_t)v[19]};
        for (size_t i = 0; i < sizeof m.serial; ++i) m.serial[i] = (char)v[i];
        return railtwin_pack_identity(bytes, sizeof bytes, &m);
    }
    case RAILTWIN_SET_RATE: {
        const railtwin_set_rate m = {(uint32_t)v[0]};
        return railtwin_pack_set_rate(bytes, sizeof bytes, &m);
    }
    case RAILTWIN_ACKNOWLEDGE: {
        const railtwin_acknowledge m = {(uint8_t)v[0], (uint8_t)v[1]};
        return railtwin_pack_acknowledge(bytes, sizeof bytes, &m);
    }
    default: return 0;
    }
}

/* Number of values in a payload; 0 where refused. */
static size_t unpack(uint8_t kind, size_t size, int64_t *v)
{
    switch (kind) {
    case RAILTWIN_IMU: {
        railtwin_imu m;
        if (!railtwin_unpack_imu(&m, bytes, size)) return 0;
        for (size_t i = 0; i < 3; ++i) v[i] = m.accel[i], v[3 + i] = m.gyro[i];
        v[6] = m.temperature;
        return 7;
    }
    case RAILTWIN_ENCODER: {
        railtwin_encoder m;
        if (!railtwin_unpack_encoder(&m, bytes, size)) return 0;
        v[0] = m.count, v[1] = m.status;
        return 2;
    }
    case RAILTWIN_AXLE_BOX: UNPACK_BLOCK(axle_box)
    case RAILTWIN_BRIDGE: UNPACK_BLOCK(bridge)
    case RAILTWIN_LASER_DISTANCE: UNPACK_BLOCK(laser_distance)
    case RAILTWIN_PROFILE: {
        static int32_t rows[MAX_VALUES];
        railtwin_profile m;
        if (!railtwin_unpack_profile(&m, bytes, size, rows, MAX_VALUES - 2)) return 0;
        v[0] = m.rail, v[1] = m.points;
        for (size_t i = 0; i < 2u * m.points; ++i) v[2 + i] = rows[i];
        return 2 + 2u * m.points;
    }
    case RAILTWIN_SYNC_REQUEST: {
        railtwin_sync_request m;
        if (!railtwin_unpack_sync_request(&m, bytes, size)) return 0;
        v[0] = m.id, v[1] = m.t_host_ns;
        return 2;
    }
    case RAILTWIN_SYNC_RESPONSE: {
        railtwin_sync_response m;
        if (!railtwin_unpack_sync_response(&m, bytes, size)) return 0;
        v[0] = m.id, v[1] = m.t_host_ns, v[2] = (int64_t)m.ticks_received;
        return 3;
    }
    case RAILTWIN_IDENTITY: {
        railtwin_identity m;
        if (!railtwin_unpack_identity(&m, bytes, size)) return 0;
        for (size_t i = 0; i < sizeof m.serial; ++i) v[i] = (uint8_t)m.serial[i];
        v[16] = m.device_kind, v[17] = m.tick_hz, v[18] = m.rate_mhz, v[19] = m.firmware;
        return 20;
    }
    case RAILTWIN_SET_RATE: {
        railtwin_set_rate m;
        if (!railtwin_unpack_set_rate(&m, bytes, size)) return 0;
        v[0] = m.rate_mhz;
        return 1;
    }
    case RAILTWIN_ACKNOWLEDGE: {
        railtwin_acknowledge m;
        if (!railtwin_unpack_acknowledge(&m, bytes, size)) return 0;
        v[0] = m.command, v[1] = m.status;
        return 2;
    }
    default: return 0;
    }
}

static int encode_line(void)
{
    static uint8_t frame[RAILTWIN_MAX_FRAME];
    unsigned kind, sequence;
    uint64_t ticks;
    int at = 0;
    if (sscanf(line, "%u %u %" SCNu64 " %n", &kind, &sequence, &ticks, &at) != 3 || at == 0) return 0;
    const size_t size = read_hex(line + at, bytes, sizeof bytes);
    const railtwin_packet packet = {(uint8_t)kind, (uint16_t)sequence, ticks, bytes, size};
    const size_t length = railtwin_encode(frame, sizeof frame, &packet);
    return length > 0 && fwrite(frame, 1, length, stdout) == length;
}

static int pack_line(void)
{
    const size_t n = read_values(line);
    if (n == 0) return 0;
    const size_t size = pack((uint8_t)values[0], values + 1, n - 1);
    if (size > 0) write_hex(bytes, size);
    puts(size > 0 ? "" : "refused");
    return 1;
}

static int unpack_line(void)
{
    unsigned kind;
    int at = 0;
    if (sscanf(line, "%u %n", &kind, &at) != 1 || at == 0) return 0;
    const size_t n = unpack((uint8_t)kind, read_hex(line + at, bytes, sizeof bytes), values);
    if (n > 0) write_values(values, n);
    else puts("refused");
    return 1;
}

static int decode_stream(void)
{
    static railtwin_decoder decoder;
    railtwin_packet packet;
    railtwin_decoder_init(&decoder);
    for (int byte = getchar(); byte != EOF; byte = getchar()) {
        if (!railtwin_decoder_push(&decoder, (uint8_t)byte, &packet)) continue;
        printf("%u %u %" PRIu64 " ", packet.kind, packet.sequence, packet.ticks);
        write_hex(packet.payload, packet.size);
        putchar('\n');
    }
    const railtwin_counts *c = &decoder.counts;
    const int64_t counts[] = {c->frames, c->bad_cobs, c->bad_length, c->bad_crc, c->unknown_version, c->unknown_kind,
        c->oversize};
    printf("counts ");
    write_values(counts, sizeof counts / sizeof counts[0]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) return fail("one of encode, decode, pack, unpack");
    if (strcmp(argv[1], "decode") == 0) return decode_stream();
    int (*work)(void) = strcmp(argv[1], "encode") == 0 ? encode_line
        : strcmp(argv[1], "pack") == 0                 ? pack_line
        : strcmp(argv[1], "unpack") == 0               ? unpack_line
                                                       : NULL;
    if (work == NULL) return fail("one of encode, decode, pack, unpack");
    while (fgets(line, sizeof line, stdin) != NULL)
        if (!work()) return fail("a line that cannot be used");
    return 0;
}
