/* Records of type, length and value, one after the other, as in certificates, smart cards and radio protocols. */
#ifndef TLV_H
#define TLV_H
#include <stddef.h>

struct tlv {
    unsigned char type;
    unsigned char length;
    const unsigned char *value;
};

/* Reads the record at `position`; returns the position of the next one, or 0 if there is none. */
size_t tlv_next(const unsigned char *data, size_t size, size_t position, struct tlv *record);

struct name {
    char text[32];
};

/* The value of the first record as a text; 0 if there is none, or it is too long. */
int tlv_name(const unsigned char *data, size_t size, struct name *name);

#endif
