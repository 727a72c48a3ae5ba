import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { type ServerProcess, startServerProcess } from '@berth/e2e/real-api-server/server-process'
import { stringify } from 'yaml'

/** The resource that the advertiser offers on every node. */
export const SEAT = 'example.com/seat'

const main = join(import.meta.dirname, '..', '..', 'apps', 'advertiser', 'dist', 'main.js')

/** Starts the built advertiser, which writes four seats to every node. */
export function startAdvertiser({ dir, ...server }: RealApiServer): ServerProcess {
  const kubeconfig = join(dir, 'advertiser.kubeconfig')
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
  const file = join(dir, 'advertiser.yaml')
  writeFileSync(file, stringify({ kubeconfig, resources: [{ name: SEAT, units: 4, nodes: { selector: {} } }] }))
  const args = [main, '--config', file, '--health-address', '127.0.0.1:0']
  return startServerProcess(process.execPath, args, join(dir, 'advertiser.log'))
}
