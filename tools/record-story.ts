/** Records a run of `npm start -- --once` as docs/story.svg. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { terminalSvg, type TimedLine } from './story/terminal-svg.ts'

const root = join(import.meta.dirname, '..')
const startMs = performance.now()
const lines: TimedLine[] = [{ atMs: 0, text: '$ npm start -- --once' }]
const child = spawn(process.execPath, ['-C', '@berth/source', 'tools/demo.ts', '--once', '--no-build', '--pace', '2'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
createInterface({ input: child.stdout }).on('line', (text) => {
  // The directory of a run has a random name.
  lines.push({
    atMs: Math.round(performance.now() - startMs),
    text: text.replaceAll(/\/tmp\/berth-\w+/g, '/tmp/berth'),
  })
  console.log(text)
})
const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
if (status !== 0) {
  console.error('the story failed; nothing was recorded')
  process.exit(1)
}
writeFileSync(join(root, 'docs', 'story.svg'), terminalSvg(lines, { columns: 84, rows: 30 }))
