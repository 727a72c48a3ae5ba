/** `npm run simulate`: a simulated cluster, or simulated nodes of another one, in a process of their own. */
import { systemClock } from '@berth/clock'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { BerthError, silentLogger } from '@berth/types'

// Compiling the sources is most of the start: from the second time on they are compiled already. In the user's own
// cache, because what is left in the temporary folder looks forgotten.
const { XDG_CACHE_HOME: cacheDir = join(homedir(), '.cache') } = process.env
enableCompileCache(join(cacheDir, 'berth', 'compiled'))
const { parseSimulateArguments, simulate } = await import('@berth/simulator')
const request = parseSimulateArguments(process.argv.slice(2))
// Under npm, Ctrl-C arrives twice: from the terminal and handed on. The second must not cut the ending short.
const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort())

if (request.kind === 'run' || request.kind === 'join') {
  try {
    const clock = systemClock()
    await simulate(request, {
      clock,
      random: Math.random,
      stop: stop.signal,
      write: (text) => void process.stdout.write(text),
      async connect(path) {
        // Only now: a cluster of its own needs no client.
        const { connectTransport, loadKubeconfig } = await import('@berth/k8s-client')
        const access = loadKubeconfig({ path, env: process.env, home: homedir() })
        return connectTransport(access, { log: silentLogger, clock })
      },
    })
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
