/** Health and metrics over HTTP, on `node:http` alone. */
export { startHealthServer } from './health/health-server.ts'
export type {
  AccessRefusal,
  AccessRequest,
  ClientCertificate,
  HealthServer,
  Page,
  ServerTls,
  StartHealthServerOptions,
} from './health/health-server.ts'
export type { HealthCheck } from './health/run-health-checks.ts'
export { connectionKey, trackConnections } from './health/track-connections.ts'
export { formatHostPort, isHostPort, parseHostPort } from './host-port.ts'
export type { HostPort } from './host-port.ts'
export { ListenError } from './errors.ts'
