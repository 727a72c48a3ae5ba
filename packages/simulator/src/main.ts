/** `npm run simulate`: a simulated cluster in a process of its own. */
import { BerthError } from '@berth/types'
import { parseSimulateArguments } from './simulate-arguments.ts'
import { systemClock } from './system-clock.ts'

const request = parseSimulateArguments(process.argv.slice(2))
// Under npm, Ctrl-C arrives twice: from the terminal and handed on. The second must not cut the ending short.
const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort())

if (request.kind === 'run') {
  try {
    // Only now: help and usage need none of the cluster.
    const { simulate } = await import('./simulate.ts')
    const write = (text: string): void => void process.stdout.write(text)
    await simulate(request, { clock: systemClock(), random: Math.random, stop: stop.signal, write })
  } catch (error) {
    if (!(error instanceof BerthError)) throw error
    const hint = error.hint === undefined ? '' : ` ${error.hint}`
    process.stderr.write(`${error.message}.${hint} (${error.code})\n`)
    process.exitCode = 1
  }
} else {
  const isHelp = request.kind === 'help'
  ;(isHelp ? process.stdout : process.stderr).write(request.text)
  process.exitCode = isHelp ? 0 : 2
}
