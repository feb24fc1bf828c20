#include <string.h>
#include "tlv.h"

size_t tlv_next(const unsigned char *data, size_t size, size_t position, struct tlv *record)
{
    if (position >= size || size - position < 2)
        return 0;
    record->type = data[position];
    record->length = data[position + 1];
    record->value = data + position + 2;
    if (record->length > size - position)
        return 0;
    return position + 2 + record->length;
}

//@ requires size <= len(data);
int tlv_name(const unsigned char *data, size_t size, struct name *name)
{
    struct tlv record;
    if (tlv_next(data, size, 0, &record) == 0 || record.length >= sizeof name->text)
        return 0;
    memcpy(name->text, record.value, record.length);
    name->text[record.length] = '\0';
    return 1;
}
