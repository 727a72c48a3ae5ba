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

test('50,000 pods and 5,000 nodes: no turn of the event loop computes for 50 ms, and peak memory is at most twice the steady one', async () => {
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
  // One turn for everything would be a block of seconds, however little each of many turns took.
  expect(cost.turns).toBeGreaterThan(100)
  expect(cost.longestTurnMs).toBeLessThan(50)
  expect(cost.peakBytes / cost.steadyBytes).toBeLessThanOrEqual(2)
})
