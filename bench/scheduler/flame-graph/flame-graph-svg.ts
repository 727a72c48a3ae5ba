import { tenths } from '../../statistics.ts'
import { escapedXml } from '../escaped-xml.ts'
import type { StackFrame } from './merge-stacks.ts'

const WIDTH = 1_200
const ROW = 17
const TOP = 60
const MARGIN = 10
/** Narrower frames would not be visible. */
const MIN_WIDTH = 0.6
/** Narrower frames have no text. */
const MIN_TEXT_WIDTH = 40
const CHARACTER_WIDTH = 6.2

const LEGEND_WIDTH = 90
/** Whose code a frame is, and how the legend calls it. */
const kinds = [
  ['berth', 'Berth'],
  ['dependency', 'libraries'],
  ['node', 'Node'],
  ['collector', 'garbage'],
] as const

/** Text has a contrast of at least 4.5:1 with its frame, also on a dark background. */
const style = `
text{font:11px ui-monospace,monospace;fill:#1f2328}.title{font:600 13px system-ui,sans-serif}.note{font:12px system-ui,sans-serif}
.background{fill:#ffffff}rect.frame{stroke:#ffffff;stroke-width:.5}
.node{fill:#d1d9e0}.collector{fill:#f1aeb5}.dependency{fill:#ffe08a}.berth{fill:#a5d6ff}
@media (prefers-color-scheme:dark){.background{fill:#0d1117}rect.frame{stroke:#0d1117}.title,.note{fill:#f0f6fc}}`

interface Drawn {
  readonly name: string
  readonly us: number
  readonly x: number
  readonly width: number
  readonly depth: number
}

/**
 * Returns an SVG of a tree of stacks. The callers are at the top; the width of a frame is its share of the time. The text of a frame is
 * shown completely, with its share, when a pointer rests on it.
 *
 * @param note - A line below the title.
 */
export function flameGraphSvg(title: string, note: string, root: StackFrame): string {
  const frames: Drawn[] = []
  const draw = ({ name, us, callees }: StackFrame, x: number, depth: number): void => {
    const width = (us / root.us) * (WIDTH - 2 * MARGIN)
    if (width < MIN_WIDTH) return
    if (depth >= 0) frames.push({ name, us, x, width, depth })
    let left = x
    for (const callee of [...callees.values()].toSorted((a, b) => b.us - a.us)) {
      draw(callee, left, depth + 1)
      left += (callee.us / root.us) * (WIDTH - 2 * MARGIN)
    }
  }
  if (root.us > 0) draw(root, MARGIN, -1)
  const height = TOP + ROW * (frames.reduce((max, { depth }) => Math.max(max, depth), 0) + 1) + MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapedXml(title)}">`,
    `<style>${style}\n</style>`,
    '<rect class="background" width="100%" height="100%" rx="8"/>',
    `<text class="title" x="${MARGIN}" y="24">${escapedXml(title)}</text>`,
    `<text class="note" x="${MARGIN}" y="44">${escapedXml(note)}</text>`,
    ...legend(),
    ...frames.map((frame) => frameSvg(frame, root.us)),
    '</svg>\n',
  ].join('\n')
}

function legend(): readonly string[] {
  return kinds.map(([kind, text], i) => {
    const x = WIDTH - MARGIN - (kinds.length - i) * LEGEND_WIDTH
    return `<rect class="${kind}" x="${x}" y="34" width="12" height="12"/><text class="note" x="${x + 18}" y="44">${text}</text>`
  })
}

function frameSvg({ name, us, x, width, depth }: Drawn, totalUs: number): string {
  const y = TOP + depth * ROW
  const share = `${((100 * us) / totalUs).toFixed(1)} %`
  const characters = Math.floor((width - 6) / CHARACTER_WIDTH)
  const text =
    width < MIN_TEXT_WIDTH
      ? ''
      : `<text x="${tenths(x + 3)}" y="${y + 12}">${escapedXml(name.slice(0, characters))}</text>`
  const rectangle = `<rect class="frame ${kindOf(name)}" x="${tenths(x)}" y="${y}" width="${tenths(width)}" height="${ROW}"/>`
  return `<g><title>${escapedXml(name)}: ${share}</title>${rectangle}${text}</g>`
}

function kindOf(name: string): (typeof kinds)[number][0] {
  if (name === '(garbage collector)') return 'collector'
  const source = name.slice(name.lastIndexOf(' ') + 1)
  if (/(?:^|\/)src\//.test(source)) return 'berth'
  return source === name || source.startsWith('node:') ? 'node' : 'dependency'
}
