import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { largeCluster } from '../../real-api-server/large-cluster.ts'
import type { MirrorCost } from '../../real-api-server/mirror-probe.ts'
import { startRealApiServer } from '../../real-api-server/real-api-server.ts'

const NODES = 5_000
const PODS = 50_000

test('mirrors 50,000 pods and 5,000 nodes without computing for 50 ms in one turn of the event loop, and with a peak of at most twice the steady memory', async () => {
  await using server = await startRealApiServer()
  await server.seed(largeCluster(NODES, PODS))
  const kubeconfig = join(server.dir, 'probe.kubeconfig')
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
  const program = join(import.meta.dirname, '..', '..', 'real-api-server', 'mirror-probe.ts')
  const args = ['-C', '@berth/source', '--expose-gc', program, kubeconfig]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 600_000 })
  process.stdout.write(stdout)
  const cost = JSON.parse(stdout) as MirrorCost
  expect(cost.objects).toBe(NODES + PODS)
  // Proves that the work was split into many turns.
  expect(cost.turns).toBeGreaterThan(100)
  expect(cost.longestTurnMs).toBeLessThan(50)
  expect(cost.peakBytes / cost.steadyBytes).toBeLessThanOrEqual(2)
})
