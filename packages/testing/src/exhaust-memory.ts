/** Loaded into a program under test by `--import`, allocates without end when the program gets SIGUSR2. */
const MIB = 1_048_576
const kept: Uint8Array[] = []

process.on('SIGUSR2', () => {
  for (;;) kept.push(new Uint8Array(8 * MIB).fill(1))
})
