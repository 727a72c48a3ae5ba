import type { CommandLine } from '@berth/process/command'
import type { CommandContext } from '../cli/command.ts'
import { loadProfiles, printNotes } from '../profile/load-profiles.ts'
import { clusterReads } from './cluster-reads.ts'
import type { Browser } from './open-browser.ts'
import { pageTexts } from './page-texts.ts'
import { serveUi, type UiFile } from './server/serve-ui.ts'

/**
 * Runs `kubectl berth ui` until the signal aborts. Opens the page if a browser is given.
 *
 * @throws what {@link loadProfiles} and {@link serveUi} throw.
 */
export async function runUi(line: CommandLine, context: CommandContext, browser: Browser | undefined): Promise<void> {
  const { terminal, connect, stop } = context
  const given = await loadProfiles(line, context)
  printNotes(given, [], terminal)
  await using session = await connect()
  const sources = { files: await pageFiles(), ...clusterReads({ line, context, session, given }) }
  await using server = await serveUi(line.number('port') ?? 0, sources, terminal.clock)
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
  const { html, script, style, icon } = await pageTexts()
  return new Map([
    ['/', { contentType: 'text/html; charset=utf-8', text: html }],
    ['/app.js', { contentType: 'text/javascript; charset=utf-8', text: script }],
    ['/app.css', { contentType: 'text/css; charset=utf-8', text: style }],
    ['/icon.svg', { contentType: 'image/svg+xml', text: icon }],
  ])
}
