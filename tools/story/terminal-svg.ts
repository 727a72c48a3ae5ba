/** One line that a program printed, with its time. */
export interface TimedLine {
  /** Milliseconds since the start of the program. */
  readonly atMs: number
  readonly text: string
}

/** Size of the drawn terminal. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

const CHARACTER_WIDTH = 8.4
const LINE_HEIGHT = 18
const PADDING = 14

/**
 * Draws a recording as an SVG that plays once: each line appears at its time, and the screen scrolls as a terminal
 * does. A viewer without animations shows the last screen.
 *
 * @returns The file's text; the same recording always gives the same text.
 */
export function terminalSvg(lines: readonly TimedLine[], { columns, rows }: TerminalSize): string {
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * PADDING)
  const height = rows * LINE_HEIGHT + 2 * PADDING
  const endMs = Math.max(1, ...lines.map(({ atMs }) => atMs))
  const texts = lines.map(({ atMs, text }, index) => {
    const y = PADDING + (index + 1) * LINE_HEIGHT - 5
    const style = `animation-delay:${(atMs / 1000).toFixed(2)}s`
    return `<text x="${PADDING}" y="${y}" class="${lineClass(text)}" style="${style}">${withColumns(escapeXml(text))}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Recording of npm start in a terminal">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre;animation:show 1ms both}
.title{fill:#ffffff;font-weight:700}.seen{fill:#7ee787}.command{fill:#79c0ff}.failed{fill:#ff7b72}
@keyframes show{from{opacity:0}to{opacity:1}}
#screen{animation:scroll ${(endMs / 1000).toFixed(2)}s step-end both}
@keyframes scroll{${scrollFrames(lines, rows, endMs)}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg y="${PADDING}" height="${rows * LINE_HEIGHT}" width="${width}"><g transform="translate(0,${-PADDING})"><g id="screen">
${texts.join('\n')}
</g></g></svg>
</svg>
`
}

/** Returns a keyframe for each line after the screen is full. */
function scrollFrames(lines: readonly TimedLine[], rows: number, endMs: number): string {
  const frames = lines.flatMap(({ atMs }, index) => {
    const hidden = index + 1 - rows
    if (hidden <= 0) return []
    return [`${((atMs / endMs) * 100).toFixed(3)}%{transform:translateY(${-hidden * LINE_HEIGHT}px)}`]
  })
  const last = Math.max(0, lines.length - rows)
  return ['0%{transform:none}', ...frames, `100%{transform:translateY(${-last * LINE_HEIGHT}px)}`].join('')
}

function lineClass(text: string): string {
  if (/^\d+\/\d+ {2}/.test(text)) return 'title'
  if (text.trimStart().startsWith('✔')) return 'seen'
  if (text.trimStart().startsWith('✘')) return 'failed'
  return text.trimStart().startsWith('$ ') ? 'command' : 'plain'
}

/** Replaces spaces where a renderer would collapse them: at the start of a line, and in runs. */
function withColumns(text: string): string {
  return text.replaceAll(/^ | {2,}/g, (spaces) => '\u00A0'.repeat(spaces.length))
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
