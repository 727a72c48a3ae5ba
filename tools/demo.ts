/** `npm start`: shows Berth on an embedded cluster. Every printed result is read back from the API server or an app. */
import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApps } from './story/build-apps.ts'
import { createNarrator } from './story/narrator.ts'
import { ProcessGroup, UnmetExpectationError } from '@berth/testing'
import { storySteps } from './story/story.ts'
import { printWhatNext } from './story/what-next.ts'
import { createStoryContext, type StoryContext } from './story/story-context.ts'

const command: CommandDefinition = {
  name: 'npm start --',
  summary: 'Shows Berth on an embedded cluster. Every printed result is read back from the API server or an app.',
  flags: [
    { name: 'once', description: 'Exit after the last chapter, with status 0 when all expectations were met.' },
    {
      name: 'pace',
      placeholder: 'SECONDS',
      description: 'Pause after each chapter. Default: 1.5 on a terminal, otherwise 0.',
    },
    { name: 'no-build', description: 'Use the last build of the apps.' },
  ],
  examples: [{ command: 'npm start -- --once', description: 'Run the story once and exit' }],
}

const root = join(import.meta.dirname, '..')
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => stop.abort(new UnmetExpectationError(`stopped by ${name}`)))

/** Runs the chapters. Keeps the title of the current chapter for the error message. */
async function runChapters(story: StoryContext, current: { title: string }): Promise<void> {
  const steps = storySteps()
  for (const [index, step] of steps.entries()) {
    current.title = step.title
    story.narrator.chapter(index + 1, steps.length, step.title)
    await step.run(story)
    story.signal.throwIfAborted()
    await story.narrator.pause()
  }
}

async function main(): Promise<number> {
  const line = commandLineOrExit(command, process.argv.slice(2))
  const isOnce = line.has('once')
  // Short, because the path of a unix socket is limited to 107 bytes.
  const dir = mkdtempSync(join(tmpdir(), 'berth-'))
  const current = { title: 'Building the apps' }
  const write = (text: string): void => void process.stdout.write(text)
  try {
    if (!line.has('no-build')) {
      console.log('Building the apps (under a minute the first time, seconds later) …')
      await buildApps({ root, signal: stop.signal, write: process.stdout.isTTY ? write : undefined })
    }
    await using processes = new ProcessGroup()
    const narrator = createNarrator({
      write,
      columns: process.stdout.isTTY ? process.stdout.columns : Number(process.env['COLUMNS'] ?? 0),
      paceMs: Number(line.text('pace') ?? (process.stdout.isTTY ? '1.5' : '0')) * 1000,
      isTerminal: process.stdout.isTTY,
      hasColors: process.stdout.isTTY && process.stdout.hasColors(),
    })
    const signal = AbortSignal.any([stop.signal, processes.lost])
    await using story = createStoryContext({ root, dir, narrator, processes, signal })
    try {
      await runChapters(story, current)
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    }
    if (!isOnce) {
      await printWhatNext(story)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      if (processes.lost.aborted) throw processes.lost.reason
    }
    return 0
  } catch (error) {
    if (stop.signal.aborted) return isOnce ? 130 : 0
    const message = errorText(error)
    console.error(`\n✘ ${current.title}: ${message}`)
    if (error instanceof UnmetExpectationError && error.hint !== undefined) console.error(`  ${error.hint}`)
    return 1
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

process.exitCode = await main()
