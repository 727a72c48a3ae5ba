import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processMemory } from '@berth/e2e/real-api-server/process-memory'
import { loadKubeconfig, type ClusterAccess } from '@berth/k8s-client'

const MAIN = join(import.meta.dirname, '../../apps/kubectl-berth/src/main.ts')

/** A running `npm run simulate` process. */
export interface SimulateProcess extends AsyncDisposable {
  /** Time from the start of the process until it printed `ready`. */
  readonly readyMs: number
  readonly access: ClusterAccess
  /** Returns the current and peak resident memory in bytes. */
  memory(): { readonly rss: number; readonly peak: number }
}

/** Starts a simulated cluster with the given numbers of nodes and running pods. */
export async function startSimulate(nodes: number, pods: number): Promise<SimulateProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  const kubeconfig = join(dir, 'kubeconfig')
  const args = ['--nodes', String(nodes), '--pods', String(pods), '--kubeconfig', kubeconfig]
  const startedMs = performance.now()
  const child = spawn(process.execPath, ['-C', '@berth/source', MAIN, 'simulate', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('ready\n')) resolve()
    })
    child.once('close', () => reject(new Error(`the simulated cluster exited before it was ready: ${output}`)))
  })
  const readyMs = performance.now() - startedMs
  return {
    readyMs,
    access: loadKubeconfig({ path: kubeconfig, env: {}, home: dir }),
    memory: () => processMemory(child.pid ?? Number.NaN),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
