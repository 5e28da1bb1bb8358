// Balls thrown from a tower, a hundred steps a second; positions and velocities change in place.
#include "advance.h"
#include "energy.h"

#include <cstdio>
#include <vector>

int main()
{
    const int64_t count = 20000;
    std::vector<float> position(3 * count), velocity(3 * count), drag(count), share(3 * count);
    for (int64_t i = 0; i < count; i++) {
        position[3 * i + 2] = 10;                       // metres above the floor
        velocity[3 * i] = float(i % 100) * 0.1f;
        drag[i] = 0.1f + float(i % 7) * 0.05f;
    }
    for (int step = 0; step <= 300; step++) {
        if (step % 100 == 0) {
            double sum = 0, height = 0;
            if (energy(position.data(), velocity.data(), count, share.data()))
                return std::fprintf(stderr, "energy: %s\n", energy_note()->text), 1;
            for (int64_t i = 0; i < count; i++) {
                sum += double(share[3 * i]) + share[3 * i + 1] + share[3 * i + 2];
                height += position[3 * i + 2];
            }
            std::printf("%d s: height %.2f m, energy %.1f J/kg\n", step / 100, height / count,
                        sum / count);
        }
        if (advance(position.data(), velocity.data(), drag.data(), 0.01f, count, position.data(),
                    velocity.data()))
            return std::fprintf(stderr, "advance: %s\n", advance_note()->text), 1;
    }
}
