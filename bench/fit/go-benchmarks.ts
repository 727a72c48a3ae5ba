import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const NS_PER_US = 1000

/** Samples in microseconds per operation, by the name of the Go benchmark; empty without Go. */
export type GoSamples = ReadonlyMap<string, readonly number[]>

/** Parses the output of `go test -bench` and ignores all other lines. */
export function parseGoBenchmarks(output: string): GoSamples {
  const found = new Map<string, number[]>()
  for (const line of output.split('\n')) {
    const match = /^Benchmark([\w/]+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns\/op/.exec(line)
    if (match === null) continue
    const [, name = '', nanoseconds] = match
    found.set(name, [...(found.get(name) ?? []), Number(nanoseconds) / NS_PER_US])
  }
  return found
}

/** Runs the benchmarks in `tools/oracle`, which call kube-scheduler's own plugins, on one core. */
export function runGoBenchmarks(
  names: readonly string[],
  { samples, progress }: { readonly samples: number; readonly progress: (line: string) => void },
): GoSamples {
  progress("running the same cases with kube-scheduler's Go code (the first build takes minutes)")
  const pattern = `^Benchmark(${names.join('|')})$`
  const args = ['test', '-trimpath', '-run', '^$', '-bench', pattern, '-benchtime', '20x', '-count', `${samples}`]
  const { status, error, stdout, stderr } = spawnSync('go', args, {
    cwd: join(import.meta.dirname, '..', '..', 'tools', 'oracle'),
    env: { ...process.env, GOMAXPROCS: '1', CGO_ENABLED: '0' },
    encoding: 'utf8',
  })
  if (error === undefined && status === 0) return parseGoBenchmarks(stdout)
  progress(`skipping the Go cases: ${error?.message ?? stderr.trim()}`)
  return new Map()
}
