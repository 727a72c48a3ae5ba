import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { ProcessGroup, type OwnedProcess } from '@berth/tools/story/process-group'
import { must } from './run-command.ts'

const root = join(import.meta.dirname, '..', '..')

/** Berth's apps from their bundles, on this machine, against the cluster under test. */
export class Apps implements AsyncDisposable {
  readonly #group = new ProcessGroup()
  readonly #dir: string = mkdtempSync(join(tmpdir(), 'berth-e2e-apps-'))

  /** Starts an app with a configuration file and waits until its /readyz says yes. */
  async start(name: string, kubeconfig: string, config: unknown, flags: readonly string[] = []): Promise<OwnedProcess> {
    const process = this.#group.start({
      name,
      args: [...this.#args(name, kubeconfig, config), '--health-address', '127.0.0.1:0', ...flags],
      logPath: join(this.#dir, `${name}.log`),
    })
    const [, address] = await process.line(/"address":"([^"]+)"[^\n]*"Serving health"/, { timeoutMs: 20_000 })
    for (let tries = 0; ; tries++) {
      const response = await fetch(`http://${address}/readyz?verbose`)
      if (response.ok) return process
      if (tries > 100) throw new Error(`${name} is not ready: ${await response.text()}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  /** Runs an app's command to its end. */
  async run(name: string, kubeconfig: string, config: unknown, command: readonly string[]): Promise<string> {
    const [bundle = '', ...flags] = this.#args(name, kubeconfig, config)
    return await must(process.execPath, [bundle, ...command, ...flags])
  }

  #args(name: string, kubeconfig: string, config: unknown): readonly string[] {
    const file = join(this.#dir, `${name}.yaml`)
    writeFileSync(file, stringify(config))
    return [join(root, 'apps', name, 'dist', 'main.js'), '--kubeconfig', kubeconfig, '--config', file]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#group[Symbol.asyncDispose]()
  }
}

/** Runs the kubectl plugin's bundle. */
export async function kubectlBerth(kubeconfig: string, ...args: readonly string[]): Promise<string> {
  const bundle = join(root, 'apps', 'kubectl-berth', 'dist', 'main.js')
  return await must(process.execPath, [bundle, ...args, '--kubeconfig', kubeconfig])
}
