import type { CommandLine } from '@berth/process/command'
import type { CommandContext } from '../cli/command.ts'
import { loadProfiles, printNotes } from '../profile/load-profiles.ts'
import { liveFeed } from './live/live-feed.ts'
import type { Browser } from './open-browser.ts'
import { pageTexts } from './page-texts.ts'
import { pendingRead } from './pending-read.ts'
import { openRecordedFeed } from './recording/open-recorded-feed.ts'
import { openRecording } from './recording/open-recording.ts'
import { DEFAULT_RECORD_LIMIT_MIB } from './recording/record-limit.ts'
import { serveUi, type UiFile, type UiSources } from './server/serve-ui.ts'

/**
 * Runs `kubectl berth ui` until the signal aborts. Opens the page if a browser is given.
 *
 * @throws what {@link loadProfiles}, {@link openRecording}, {@link openRecordedFeed} and {@link serveUi} throw.
 */
export async function runUi(line: CommandLine, context: CommandContext, browser: Browser | undefined): Promise<void> {
  const recording = line.text('recording')
  if (recording === undefined) await serveCluster(line, context, browser)
  else
    await serve(
      { feed: await openRecordedFeed(recording, context.terminal), readPending: undefined },
      { line, context, browser },
    )
}

async function serveCluster(line: CommandLine, context: CommandContext, browser: Browser | undefined): Promise<void> {
  const { terminal, connect } = context
  const given = await loadProfiles(line, context)
  printNotes(given, [], terminal)
  await using session = await connect()
  const { clock, random } = terminal
  const file = line.text('record')
  const report = (reason: string): void => terminal.note(`The recording ended: ${reason}. The page goes on.\n`)
  const maxBytes = (line.number('record-limit') ?? DEFAULT_RECORD_LIMIT_MIB) * 2 ** 20
  await using recording = file === undefined ? undefined : await openRecording(file, { clock, maxBytes, report })
  await using feed = liveFeed({
    cluster: session.cluster,
    clock,
    random,
    namespace: line.text('namespace') ?? session.namespace,
    ...(recording !== undefined && { onChange: (change) => recording.write(change) }),
  })
  // A recording begins with the command, not with a page.
  using _recorded = recording === undefined ? undefined : feed.use()
  await serve({ feed, readPending: pendingRead({ line, context, session, given }) }, { line, context, browser })
}

interface Invocation {
  readonly line: CommandLine
  readonly context: CommandContext
  readonly browser: Browser | undefined
}

async function serve(
  sources: Pick<UiSources, 'feed' | 'readPending'>,
  { line, context: { terminal, stop }, browser }: Invocation,
): Promise<void> {
  const files = await pageFiles()
  await using server = await serveUi(line.number('port') ?? 0, { files, ...sources }, terminal.clock)
  const address = `${server.origin}/#token=${server.token}`
  terminal.out(`${address}\n`)
  if (browser !== undefined && !(await browser.open(`${server.origin}/#code=${server.code}`)))
    terminal.note('The browser could not be opened. Open the address yourself.\n')
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function pageFiles(): Promise<ReadonlyMap<string, UiFile>> {
  const { html, script, style, icon, licences } = await pageTexts()
  return new Map([
    ['/', { contentType: 'text/html; charset=utf-8', text: html }],
    ['/app.js', { contentType: 'text/javascript; charset=utf-8', text: script }],
    ['/app.css', { contentType: 'text/css; charset=utf-8', text: style }],
    ['/icon.svg', { contentType: 'image/svg+xml', text: icon }],
    ['/licences.txt', { contentType: 'text/plain; charset=utf-8', text: licences }],
  ])
}
