export { callJson, type CallOptions, type JsonAnswer } from './testing/call-json.ts'
export { createTestClock, type TestClock } from './testing/test-clock.ts'
export {
  createTestServer,
  nodeManifest,
  openWatch,
  podManifest,
  type TestServer,
  type WatchReader,
} from './testing/test-server.ts'
