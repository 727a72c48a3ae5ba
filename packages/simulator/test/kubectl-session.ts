import { systemClock } from '@berth/clock'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubectlBinary } from '@berth/testing'
import { startEmbeddedCluster, type EmbeddedCluster, type EmbeddedClusterOptions } from '../src/index.ts'

/** Timeout of a command. */
const LONGEST_MS = 120_000

/** The result of a command. */
export interface KubectlResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** An embedded cluster, and the real kubectl connected to it. */
export interface KubectlSession extends AsyncDisposable {
  readonly cluster: EmbeddedCluster
  run(
    args: readonly string[],
    options?: { readonly stdin?: string; readonly endsOn?: (stdout: string) => boolean },
  ): Promise<KubectlResult>
}

/** Starts a cluster with nodes whose kubelets report every 100 ms. */
export async function startKubectlSession(
  nodes: number,
  api: NonNullable<EmbeddedClusterOptions['api']> = {},
): Promise<KubectlSession> {
  const binary = await kubectlBinary()
  const home = await mkdtemp(join(tmpdir(), 'berth-kubectl-'))
  const cluster = await startEmbeddedCluster({
    nodes,
    clock: systemClock(),
    random: Math.random,
    kubelet: { statusSyncMs: 100 },
    api,
  })
  const kubeconfig = join(home, 'kubeconfig')
  await writeFile(kubeconfig, cluster.served?.kubeconfig() ?? '')
  return {
    cluster,
    run: (args, { stdin = '', endsOn } = {}) =>
      new Promise((resolve, reject) => {
        const child = spawn(binary, args, { env: { HOME: home, KUBECONFIG: kubeconfig } })
        const output = { stdout: '', stderr: '' }
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output.stdout += text
          if (endsOn?.(output.stdout) === true) child.kill()
        })
        child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
        const timer = setTimeout(() => child.kill(), LONGEST_MS)
        child.once('error', reject)
        child.once('close', (code) => {
          clearTimeout(timer)
          resolve({ code, ...output })
        })
        child.stdin.end(stdin)
      }),
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}
