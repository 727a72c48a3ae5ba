import { printableLine } from '@berth/text/printable'
import { alignColumns, widthOf, wrapText } from '../output/align-columns.ts'
import type { Paint } from '../output/paint.ts'
import type { BriefItem, BriefSection } from './brief-tree.ts'

/** Space between two columns. */
const GAP = '   '

interface Line {
  /** Tree branch and name. It is never truncated. */
  readonly head: string
  /** Lines of one kind share their columns. */
  readonly kind: string
  readonly cells: readonly string[]
  /** Printed below the line. */
  readonly notes: readonly string[]
  readonly noteIndent: string
}

/** Options of {@link briefText}. */
export interface BriefTextOptions {
  readonly columns: number
  readonly paint: Paint
  /** Whether names include their namespaces. */
  readonly withNamespace: boolean
}

/** Renders a brief: the workloads of each kind, each with its related objects. */
export function briefText(sections: readonly BriefSection[], options: BriefTextOptions): string {
  return sections.map((section) => sectionText(section, options)).join('\n')
}

function sectionText(section: BriefSection, options: BriefTextOptions): string {
  const { paint, withNamespace, columns } = options
  const header: Line = {
    head: section.kind.toUpperCase(),
    kind: section.kind,
    cells: section.columns,
    notes: [],
    noteIndent: '',
  }
  const lines = [header, ...section.items.flatMap((item) => linesOf(item, withNamespace))]
  const headWidth = Math.max(...lines.map(({ head }) => widthOf(head)))
  const cellsByLine = new Map<Line, string>()
  for (const group of Map.groupBy(lines, ({ kind }) => kind).values()) {
    const aligned = alignColumns(group.map(({ cells }) => cells.map(printableLine)))
    for (const [index, line] of group.entries()) cellsByLine.set(line, aligned[index] ?? '')
  }
  const text = lines.flatMap((line, index) => {
    const cells = cellsByLine.get(line) ?? ''
    const first = `${line.head.padEnd(headWidth)}${GAP}${cells}`.trimEnd()
    const width = Math.max(20, columns - widthOf(line.noteIndent))
    const notes = line.notes.flatMap((note) =>
      wrapText(printableLine(note), width).map((part) => `${line.noteIndent}${paint('dim', part)}`),
    )
    return [index === 0 ? paint('strong', first) : toned(first, cells, paint), ...notes]
  })
  return `${text.join('\n')}\n`
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
  const own: Line = {
    head: printableLine(name),
    kind: item.kind,
    cells: [...item.cells.values()],
    notes: item.notes,
    noteIndent: item.children.length > 0 ? '│     ' : '      ',
  }
  const children = item.children.map((child, index): Line => {
    const isLast = index === item.children.length - 1
    return {
      head: `${isLast ? '└─' : '├─'} ${shortKind(child.kind)}/${printableLine(child.name)}`,
      // A child never shares columns with the section's own kind.
      kind: `child ${child.kind}`,
      cells: [...child.cells.values()],
      notes: child.notes,
      noteIndent: isLast ? '      ' : '│     ',
    }
  })
  return [own, ...children]
}

function shortKind(kind: string): string {
  const short = new Map([
    ['service', 'svc'],
    ['horizontalpodautoscaler', 'hpa'],
    ['persistentvolumeclaim', 'pvc'],
  ])
  return short.get(kind) ?? kind
}
