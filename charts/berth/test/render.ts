import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { helmBinary } from '@berth/testing'
import { parseAllDocuments } from 'yaml'
import type { ChartObject } from './chart-object.ts'

/** The directory of the chart. */
export const chartDir: string = join(import.meta.dirname, '..')
/** Names of the profiles. */
export const profiles = [
  'advertiser-only',
  'demo',
  'device-plugin-only',
  'extender-only',
  'full',
  'managed-control-plane',
  'scheduler-only',
] as const

/** Options of a Helm command. */
export interface HelmOptions {
  /** Name of a file in profiles/, without .yaml. */
  readonly profile?: (typeof profiles)[number]
  /** Values that override those of the profile. */
  readonly values?: unknown
  readonly flags?: readonly string[]
  readonly release?: string
  readonly namespace?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Exit status and output of a Helm command. */
export interface HelmResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a Helm command on the chart with these values. */
export async function helmOnChart(command: readonly string[], options: HelmOptions = {}): Promise<HelmResult> {
  const { profile, values, flags = [], namespace = 'berth-system' } = options
  const dir = await mkdtemp(join(tmpdir(), 'berth-chart-'))
  try {
    const files = profile === undefined ? [] : ['--values', join(chartDir, 'profiles', `${profile}.yaml`)]
    if (values !== undefined) {
      // Written as JSON, because Helm's YAML reads words such as `y` as another type.
      await writeFile(join(dir, 'values.json'), JSON.stringify(values))
      files.push('--values', join(dir, 'values.json'))
    }
    return await helm([...command, chartDir, '--namespace', namespace, ...files, ...flags], options.env)
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** A log line of Helm's Kubernetes client, such as one about a watch that Helm itself ended. Helm's own errors do not match. */
const CLIENT_LOG = /^I\d{4} [\d:.]+ +\d+ \S+\.go:\d+\] .*\n/gm

/** Runs Helm and waits for it to end. The log of its Kubernetes client is not part of `stderr`. */
export async function helm(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<HelmResult> {
  const binary = await helmBinary()
  return await new Promise((resolve) => {
    execFile(
      binary,
      args,
      { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, stdout, stderr: stderr.replaceAll(CLIENT_LOG, '') })
      },
    )
  })
}

/** Returns Helm's reason for refusing these values. @throws Error if Helm accepts them */
export async function refusal(options: HelmOptions): Promise<string> {
  const { code, stderr } = await helmOnChart(['template', options.release ?? 'berth'], options)
  if (code === 0) throw new Error('Helm accepts this')
  return stderr
}

/** Returns the objects that an installation would create, including hooks. @throws Error with Helm's message */
export async function render(options: HelmOptions = {}): Promise<readonly ChartObject[]> {
  const { code, stdout, stderr } = await helmOnChart(['template', options.release ?? 'berth'], options)
  if (code !== 0) throw new Error(stderr)
  return parseAllDocuments(stdout).flatMap((document) => {
    const [fault] = document.errors
    if (fault !== undefined) throw fault
    const object = document.toJS() as ChartObject | null
    return object === null ? [] : [object]
  })
}
