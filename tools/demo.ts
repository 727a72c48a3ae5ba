/** `npm start`: Berth on an embedded cluster, told as a story in which everything printed was read back. */
import { errorText } from '@berth/text/error-text'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildApps } from './story/build-apps.ts'
import { createNarrator } from './story/narrator.ts'
import { ProcessGroup, UnmetExpectationError } from '@berth/testing'
import { storySteps } from './story/story.ts'
import { createWorld, type World } from './story/world.ts'

const usage = `Usage: npm start -- [--once] [--pace SECONDS] [--no-build]

  --once          end after the story, with exit status 0 when all of it came true
  --pace SECONDS  pause after each chapter (default 1.5 on a terminal, else 0)
  --no-build      take the apps as they were built

Example: npm start -- --once
`

const root = join(import.meta.dirname, '..')
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => stop.abort(new UnmetExpectationError(`stopped by ${name}`)))

function readFlags() {
  try {
    return parseArgs({
      options: {
        once: { type: 'boolean', default: false },
        pace: { type: 'string', default: process.stdout.isTTY ? '1.5' : '0' },
        build: { type: 'boolean', default: true },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowNegative: true,
    }).values
  } catch (error) {
    console.error(`${errorText(error)}\n\n${usage}`)
    process.exit(2)
  }
}

/** Tells the story; the title of the step that is being told is kept for the error message. */
async function tell(world: World, current: { title: string }): Promise<void> {
  const steps = storySteps()
  for (const [index, step] of steps.entries()) {
    current.title = step.title
    world.narrator.chapter(index + 1, steps.length, step.title)
    await step.run(world)
    world.signal.throwIfAborted()
    await world.narrator.pause()
  }
}

function printWhatNext({ kubeconfig, dir }: World): void {
  console.log(`
Everything above was read back from the API server or an app. The cluster stays
up until Ctrl-C; try it:

  export KUBECONFIG=${kubeconfig}
  kubectl get nodes
  kubectl describe node
  node apps/kubectl-berth/dist/main.js brief -A
  kubectl apply -f examples/dongle/extended-resource-pod.yaml

Configurations and logs: ${dir}`)
}

async function main(): Promise<number> {
  const flags = readFlags()
  if (flags.help) {
    console.log(usage)
    return 0
  }
  // Short, since a unix socket's path may have 107 bytes at most.
  const dir = mkdtempSync(join(tmpdir(), 'berth-'))
  const current = { title: 'Building the apps' }
  const write = (text: string): void => void process.stdout.write(text)
  try {
    if (flags.build) {
      console.log('Building the apps (under a minute the first time, seconds later) …')
      await buildApps({ root, signal: stop.signal, write: process.stdout.isTTY ? write : undefined })
    }
    await using processes = new ProcessGroup()
    const narrator = createNarrator({
      write,
      paceMs: Number(flags.pace) * 1000,
      isTerminal: process.stdout.isTTY,
      hasColors: process.stdout.isTTY && process.stdout.hasColors(),
    })
    const signal = AbortSignal.any([stop.signal, processes.lost])
    await using world = createWorld({ root, dir, narrator, processes, signal })
    try {
      await tell(world, current)
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    }
    if (!flags.once) {
      printWhatNext(world)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      if (processes.lost.aborted) throw processes.lost.reason
    }
    return 0
  } catch (error) {
    if (stop.signal.aborted) return flags.once ? 130 : 0
    const message = errorText(error)
    console.error(`\n✘ ${current.title}: ${message}`)
    if (error instanceof UnmetExpectationError && error.hint !== undefined) console.error(`  ${error.hint}`)
    return 1
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

process.exitCode = await main()
