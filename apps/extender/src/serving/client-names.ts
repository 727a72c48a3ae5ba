import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Connection } from './call.ts'

/**
 * Returns the names of the client certificate of a connection: its common name and its DNS names. Empty without a
 * certificate.
 */
export function clientNames(socket: Socket): readonly string[] {
  if (!(socket instanceof TLSSocket)) return []
  const { subject, subjectaltname = '' } = socket.getPeerCertificate()
  const commonName: unknown = (subject as Readonly<Record<string, unknown>> | undefined)?.['CN']
  const names = typeof commonName === 'string' ? [commonName] : []
  for (const entry of subjectaltname.split(', ')) if (entry.startsWith('DNS:')) names.push(entry.slice('DNS:'.length))
  return names
}

/** Returns a function that checks whether a connection has an allowed name. It reads each certificate once. */
export function createNameCheck(allowed: readonly string[]): (connection: Connection) => boolean {
  const allowedNames = new Set(allowed)
  const known = new WeakMap<object, boolean>()
  return ({ key, socket }) => {
    const isKnown = known.get(key)
    if (isKnown !== undefined) return isKnown
    const isAllowed = clientNames(socket).some((name) => allowedNames.has(name))
    known.set(key, isAllowed)
    return isAllowed
  }
}
