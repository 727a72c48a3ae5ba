import { execFile } from 'node:child_process'
import type { Cluster } from '@berth/k8s-client'
import { explainMatrix } from '@berth/testing'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkMatrixCase, createMatrix, untilMatrixDecided } from '../../checks/explain-matrix.ts'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { startRealApiServer } from '../../real-api-server/real-api-server.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'

const MAIN = join(import.meta.dirname, '../../../apps/kubectl-berth/src/main.ts')
const run = promisify(execFile)

describe('explain names every cause of the matrix, in the words of a real kube-scheduler', () => {
  const parts = new AsyncDisposableStack()
  let cluster: Cluster
  let kubeconfig: string

  const explain = async (pod: string, format: string): Promise<string> => {
    const argv = ['-C', '@berth/source', MAIN, 'explain', 'pod', pod, '-o', format, '--kubeconfig', kubeconfig]
    return (await run(process.execPath, argv, { maxBuffer: 64 * 1024 * 1024 })).stdout
  }

  beforeAll(async () => {
    const server = parts.use(await startRealApiServer())
    cluster = parts.use(connectQuietly({ access: server.access() }))
    kubeconfig = join(server.dir, 'explain.kubeconfig')
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 })
    await createMatrix(cluster.client)
    const scheduler = startKubeScheduler({ dir: server.dir, kubeconfig: server.kubeconfig() })
    parts.defer(() => scheduler.kill())
    await untilMatrixDecided(cluster.client, 120_000)
  })
  afterAll(() => parts.disposeAsync())

  test.for(explainMatrix)('$name', async (matrixCase) => {
    await expect(checkMatrixCase(matrixCase, { client: cluster.client, explain })).resolves.toBeUndefined()
  })
})
