import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** Returns an identity for this process in an election: the host name, which is the name of a pod, and a random part. */
export function leaseIdentity(): string {
  return `${hostname()}_${randomUUID()}`
}
