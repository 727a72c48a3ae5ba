import type { CommandLine } from '@berth/process/command'
import { snapshotCluster } from '@berth/cluster-view'
import { missingSentences } from '../capacity/missing-sentences.ts'
import type { CommandContext } from '../cli/command.ts'
import type { Session } from '../cli/session.ts'
import { buildUiModel } from './model/build-ui-model.ts'
import { changeBetween } from './model/model-changes.ts'
import { sharedRead } from './model/shared-read.ts'
import type { UiModel } from './model/ui-model.ts'
import type { Browser } from './open-browser.ts'
import { pageTexts } from './page-texts.ts'
import { serveUi } from './server/serve-ui.ts'

/** Runs `kubectl berth ui` until the signal aborts. Opens the page if a browser is given. */
export async function runUi(line: CommandLine, context: CommandContext, browser: Browser | undefined): Promise<void> {
  const { terminal, connect, stop } = context
  await using session = await connect()
  const { html, script, style, icon } = await pageTexts()
  const files = new Map([
    ['/', { contentType: 'text/html; charset=utf-8', text: html }],
    ['/app.js', { contentType: 'text/javascript; charset=utf-8', text: script }],
    ['/icon.svg', { contentType: 'image/svg+xml', text: icon }],
    ['/app.css', { contentType: 'text/css; charset=utf-8', text: style }],
  ])
  const readModel = modelReader(session, line.text('namespace') ?? session.namespace, context)
  await using server = await serveUi(line.number('port') ?? 0, { files, readModel }, terminal.clock)
  const address = `${server.origin}/#token=${server.token}`
  terminal.out(`${address}\n`)
  if (browser !== undefined && !(await browser.open(`${server.origin}/#code=${server.code}`)))
    terminal.note('The browser could not be opened. Open the address yourself.\n')
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })
}

function modelReader(
  { cluster }: Session,
  namespace: string,
  { terminal, stop }: CommandContext,
): () => Promise<UiModel> {
  return sharedRead<UiModel>(terminal.clock, async (last) => {
    const snapshot = await snapshotCluster(cluster.client, { signal: stop, fallbackNamespace: namespace, kinds: [] })
    const notes = missingSentences(snapshot.forbidden, namespace)
    const model = buildUiModel(snapshot, terminal.clock.now(), notes)
    // The same object says that nothing has changed.
    return last === undefined || changeBetween(last, model) !== undefined ? model : last
  })
}
