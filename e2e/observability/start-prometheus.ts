import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePorts } from '../real-api-server/free-ports.ts'
import { debianProgram } from '../cluster/debian-program.ts'

/** A Prometheus that runs on loopback. */
export interface Prometheus extends AsyncDisposable {
  /** Calls its API. @throws Error with the answer of a failed call */
  query<T>(path: string, parameters?: Readonly<Record<string, string>>): Promise<T>
}

/** Starts Debian's Prometheus, which scrapes the targets (`host:port`) every second as one job. */
export async function startPrometheus(dir: string, job: string, targets: readonly string[]): Promise<Prometheus> {
  const binary = await debianProgram('prometheus', 'prometheus')
  mkdirSync(dir, { recursive: true })
  const config = join(dir, 'prometheus.yaml')
  const scrape = { job_name: job, scrape_interval: '1s', scrape_timeout: '1s', static_configs: [{ targets }] }
  writeFileSync(config, stringify({ scrape_configs: [scrape] }))
  const [port = 0] = await freePorts(1)
  const address = `127.0.0.1:${port}`
  const child = spawn(
    binary,
    [`--config.file=${config}`, `--storage.tsdb.path=${join(dir, 'data')}`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'exit')
  return {
    async query<T>(path: string, parameters: Readonly<Record<string, string>> = {}) {
      const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`)
      const answer = (await response.json()) as { readonly status: string; readonly data: T }
      if (answer.status !== 'success') throw new Error(`${path}: ${JSON.stringify(answer)}`)
      return answer.data
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
