import { spawn } from 'node:child_process'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '../../apps/kubectl-berth/src/main.ts')

/** A command of kubectl-berth that runs until it is disposed. */
export interface KubectlBerthProcess extends AsyncDisposable {
  /** Output until it was ready. */
  readonly output: string
}

/**
 * Starts a command of kubectl-berth from its sources.
 *
 * @param isReady - Tells from the output whether the command is ready.
 * @throws Error with the output when it ends before.
 */
export async function startKubectlBerth(
  args: readonly string[],
  isReady: (output: string) => boolean,
): Promise<KubectlBerthProcess> {
  const child = spawn(process.execPath, ['-C', '@berth/source', MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const output = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (isReady(text)) resolve(text)
    })
    child.once('close', () => reject(new Error(`kubectl berth ${args.join(' ')} ended: ${text}`)))
  })
  return {
    output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Starts a simulated cluster. Its kubeconfig is in the directory. */
export function startSimulatedCluster(dir: string, args: readonly string[]): Promise<KubectlBerthProcess> {
  const kubeconfig = join(dir, 'kubeconfig')
  return startKubectlBerth(['simulate', '--kubeconfig', kubeconfig, ...args], (text) => text.endsWith('ready\n'))
}

/** Starts `kubectl berth ui` for a cluster. Its output is the address of the page. */
export function startUi(kubeconfig: string, args: readonly string[] = []): Promise<KubectlBerthProcess> {
  return startKubectlBerth(['ui', '--no-open', '--kubeconfig', kubeconfig, ...args], (text) => text.endsWith('\n'))
}

/** Starts `kubectl berth ui` for a recording. Its output is the address of the page. */
export function startRecordedUi(recording: string): Promise<KubectlBerthProcess> {
  return startKubectlBerth(['ui', '--no-open', '--recording', recording], (text) => text.endsWith('\n'))
}
