in\
t spl\
iced = 1\
2; // comment \
 goes on
int after;
