import { join } from 'node:path'
import { runOrThrow } from '../cluster/run-command.ts'
import { testEnvironment } from '../cluster/test-environment.ts'

const bundle = join(import.meta.dirname, '..', '..', 'apps', 'kubectl-berth', 'dist', 'main.js')

/** Runs the bundle of `kubectl berth` against the cluster of this run, and returns what it prints. */
export function kubectlBerth(...argv: readonly string[]): Promise<string> {
  return runOrThrow(process.execPath, [bundle, ...argv, '--kubeconfig', testEnvironment().kubeconfig])
}
