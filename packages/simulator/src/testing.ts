export { createTestClock, type TestClock } from './testing/test-clock.ts'
export { callJson, type CallOptions, type JsonAnswer } from './testing/call-json.ts'
