export { callJson, type CallOptions, type JsonResponse } from './testing/call-json.ts'
export { actingAs, serviceAccountToken, withToken } from './testing/identities.ts'
export {
  createTestServer,
  nodeManifest,
  openWatch,
  podManifest,
  type TestServer,
  type WatchReader,
} from './testing/test-server.ts'
