import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../cluster/run-command.ts'
import type { UpstreamPrograms } from './build-programs.ts'
import { readReport, type GinkgoSuiteReport, type SpecResults } from './read-report.ts'
import type { UpstreamSuite } from './suites.ts'

/** Options of {@link runSuite}. */
export interface RunSuiteOptions {
  readonly suite: UpstreamSuite
  readonly programs: UpstreamPrograms
  readonly kubeconfig: string
  /** Folder with kubectl. */
  readonly binDir: string
  /** Folder for the report and the output of the suite. */
  readonly folder: string
}

const TIMEOUT_MINUTES = 90

/**
 * Runs a part of upstream's suite.
 *
 * @throws Error with the end of the output when the suite wrote no report.
 */
export async function runSuite(options: RunSuiteOptions): Promise<SpecResults> {
  const { suite, programs, kubeconfig, binDir, folder } = options
  await mkdir(folder, { recursive: true })
  const args = [
    `--procs=${suite.processes}`,
    ...suite.focus.map((text) => `--focus=${escapePattern(text)}`),
    ...suite.skipped.map(({ text }) => `--skip=${escapePattern(text)}`),
    `--timeout=${TIMEOUT_MINUTES}m`,
    '--no-color',
    '--json-report=report.json',
    `--output-dir=${folder}`,
    programs.suite,
    '--',
    `--kubeconfig=${kubeconfig}`,
    '--provider=skeleton',
  ]
  const { status, stdout, stderr } = await runCommand(programs.ginkgo, args, {
    env: { PATH: `${binDir}:${process.env['PATH'] ?? ''}` },
    timeoutMs: (TIMEOUT_MINUTES + 5) * 60_000,
  })
  const report = await readFile(join(folder, 'report.json'), 'utf8').catch(() => undefined)
  if (report === undefined) throw new Error(`ginkgo: exit ${status}: ${(stdout + stderr).trim().slice(-3000)}`)
  return readReport(JSON.parse(report) as readonly GinkgoSuiteReport[])
}

/** Escapes a text for Go's regular expressions. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}
