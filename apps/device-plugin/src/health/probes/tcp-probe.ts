import type { ProbeResult } from '@berth/plugin-api'
import { connect } from 'node:net'
import { errorCode } from './probe-target.ts'

/** Checks that a port accepts a connection. */
export function probeTcp(host: string, port: number, signal: AbortSignal): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const finish = (result: ProbeResult): void => {
      signal.removeEventListener('abort', stop)
      socket.destroy()
      resolve(result)
    }
    const stop = (): void => finish({ health: 'Unhealthy', reason: `${host}:${port} does not answer` })
    socket.once('connect', () => finish({ health: 'Healthy' }))
    socket.once('error', (error) => {
      finish({ health: 'Unhealthy', reason: `${host}:${port} refuses connections (${errorCode(error)})` })
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}
