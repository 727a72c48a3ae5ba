/** Virtual time and repeatable randomness for tests. */
export { fakeClock, type FakeClock } from './testing/fake-clock.ts'
export { createTestClock, type TestClock } from './testing/test-clock.ts'
export { seededRandom } from './testing/seeded-random.ts'
export { createVirtualProcess, type VirtualProcess } from './testing/virtual-process.ts'
