import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

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
export function createNameCheck(allowed: readonly string[]): (socket: Socket) => boolean {
  const allowedNames = new Set(allowed)
  const known = new WeakMap<Socket, boolean>()
  return (socket) => {
    const isKnown = known.get(socket)
    if (isKnown !== undefined) return isKnown
    const isAllowed = clientNames(socket).some((name) => allowedNames.has(name))
    known.set(socket, isAllowed)
    return isAllowed
  }
}
