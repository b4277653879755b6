// A variable that no stack has room for is said at the function that has it, before memory is taken for it.
__global__ void nothing() {}

int sum(int count)
{
    volatile char room[3000000000ull];
    room[count] = 1;
    return room[count];
}

int main(int count, char **)
{ // expect: error memory-limit
    return sum(count);
}
