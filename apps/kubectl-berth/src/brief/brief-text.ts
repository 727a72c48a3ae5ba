import { printableLine } from '@berth/text/printable'
import { fitTable } from '../output/fit-table.ts'
import { GAP, widthOf, wrapText } from '../output/align-columns.ts'
import { columnWidthWithin, headedLines } from '../output/narrow-rows.ts'
import type { Paint } from '../output/paint.ts'
import type { BriefItem, BriefSection } from './brief-tree.ts'

/** One line of a section. */
interface Line {
  /** Tree branch and name. It is never truncated. */
  readonly head: string
  /** Lines of one kind share their columns. */
  readonly kind: string
  readonly cells: readonly string[]
  /** Printed below the line. */
  readonly notes: readonly string[]
  readonly noteIndent: string
  readonly isHeader: boolean
}

/** Options of {@link briefText}. */
export interface BriefTextOptions {
  readonly columns: number
  /** Width into which the columns of a kind fit: the last ones are left out. Long names get lines of their own. */
  readonly tableColumns: number
  readonly paint: Paint
  /** Whether names include their namespaces. */
  readonly withNamespace: boolean
  /** Whether notes are wrapped instead of cut at the width. */
  readonly isWide: boolean
}

/** Renders a brief: the workloads of each kind, each with its related objects, under the headers of their kinds. */
export function briefText(sections: readonly BriefSection[], options: BriefTextOptions): string {
  return sections.map((section) => sectionText(section, options)).join('\n')
}

function sectionText(section: BriefSection, options: BriefTextOptions): string {
  const { paint, withNamespace } = options
  const header = (head: string, kind: string, cells: readonly string[]): Line => {
    return { head, kind, cells, notes: [], noteIndent: '', isHeader: true }
  }
  const lines = [
    header(section.kind.toUpperCase(), section.kind, section.columns),
    ...[...section.childColumns].flatMap(([kind, columns]) =>
      columns.length === 0 || kind === section.kind ? [] : header(`   ${shortKind(kind).toUpperCase()}`, kind, columns),
    ),
    ...section.items.flatMap((item) => linesOf(item, withNamespace)),
  ]
  const { headWidth, cellsByLine } = layOut(lines, options.tableColumns)
  const text = lines.flatMap((line) => {
    const cells = cellsByLine.get(line) ?? ''
    const widths = { headWidth, width: options.tableColumns, indent: line.noteIndent }
    const own = headedLines(line.head, cells, widths)
    const notes = line.notes.flatMap((note) => noteLines(line.noteIndent, note, options))
    return [...own.map((one) => (line.isHeader ? paint('strong', one) : toned(one, cells, paint))), ...notes]
  })
  return `${text.join('\n')}\n`
}

/**
 * Aligns the cells of each kind, as many as fit. The column of names is only as wide as leaves room for the first cells; a
 * longer name is on a line above its cells.
 */
function layOut(
  lines: readonly Line[],
  width: number,
): { readonly headWidth: number; readonly cellsByLine: ReadonlyMap<Line, string> } {
  const firstCell = Math.max(0, ...lines.map(({ cells: [first = ''] }) => widthOf(printableLine(first))))
  const headWidth = columnWidthWithin(
    lines.map(({ head }) => head),
    width - GAP.length - firstCell,
  )
  const cellsByLine = new Map<Line, string>()
  for (const group of Map.groupBy(lines, ({ kind }) => kind).values()) {
    const aligned = fitCells(
      group.map(({ cells }) => cells.map(printableLine)),
      width - headWidth - GAP.length,
    )
    for (const [index, line] of group.entries()) cellsByLine.set(line, aligned[index] ?? '')
  }
  return { headWidth, cellsByLine }
}

/** Aligns the cells of one kind. Leaves out the last columns until the first is left or the lines are at most `width` wide. */
function fitCells(rows: readonly (readonly string[])[], width: number): readonly string[] {
  const count = Math.max(...rows.map(({ length }) => length))
  const columns = Array.from({ length: count }, (_, index) => ({ header: '', rank: index }))
  return fitTable(columns, rows, width).slice(1)
}

/** A note takes one line, so that a long reason does not hide the tree. With `-o wide` it is complete. */
function noteLines(indent: string, note: string, { columns, paint, isWide }: BriefTextOptions): readonly string[] {
  const width = Math.max(20, columns - widthOf(indent))
  const text = printableLine(note)
  const parts = isWide ? wrapText(text, width) : [text.length > width ? `${text.slice(0, width - 1)}…` : text]
  return parts.map((part) => `${indent}${paint('dim', part)}`)
}

function toned(line: string, cells: string, paint: Paint): string {
  if (/\b(?:Pending|Terminating|ContainerCreating)\b/.test(cells)) return paint('warn', line)
  if (
    /\b(?:Error|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|Failed|Evicted|UnexpectedAdmissionError|OutOf\S+)\b/.test(
      cells,
    )
  ) {
    return paint('bad', line)
  }
  return line
}

function linesOf(item: BriefItem, withNamespace: boolean): readonly Line[] {
  const name = withNamespace && item.namespace !== '' ? `${item.namespace}/${item.name}` : item.name
  return [
    lineOf(item, printableLine(name), item.children.length > 0 ? '│     ' : '      '),
    ...childLines(item.children, ''),
  ]
}

function childLines(children: readonly BriefItem[], indent: string): readonly Line[] {
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1
    const below = `${indent}${isLast ? '   ' : '│  '}`
    const head = `${indent}${isLast ? '└─' : '├─'} ${shortKind(child.kind)}/${printableLine(child.name)}`
    const noteIndent = `${below}${child.children.length > 0 ? '│  ' : '   '}`
    return [lineOf(child, head, noteIndent), ...childLines(child.children, below)]
  })
}

function lineOf({ kind, cells, notes }: BriefItem, head: string, noteIndent: string): Line {
  return { head, kind, cells: [...cells.values()], notes, noteIndent, isHeader: false }
}

function shortKind(kind: string): string {
  const short = new Map([
    ['service', 'svc'],
    ['horizontalpodautoscaler', 'hpa'],
    ['persistentvolumeclaim', 'pvc'],
    ['replicaset', 'rs'],
  ])
  return short.get(kind) ?? kind
}
