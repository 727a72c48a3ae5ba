/** A fenced code block of a guide. */
export interface GuideBlock {
  /** Name of the guide's file. */
  readonly guide: string
  /** Line of the opening fence, counted from 1. */
  readonly line: number
  /** Empty when the fence names none. */
  readonly language: string
  readonly text: string
  /** The file that the first line names in a comment, `# berth.yaml` or `// plugins/x.ts`. */
  readonly file?: string
  /** The e2e file in the comment above a block that needs a container engine or a real cluster: `<!-- e2e: PATH -->`. */
  readonly e2e?: string
  /** The test in the comment above a block that needs more than a reader's folder: `<!-- tested by: PATH -->`. */
  readonly testedBy?: string
}

const fence = /^( *)```(\w*)[^\n]*\n([\s\S]*?)^ *```$/gm
const fileName = /^(?:#|\/\/) ([\w./+-]+\.(?:ya?ml|ts|js))\n/

/** Lists the code blocks of a guide in their order. */
export function guideBlocks(guide: string, markdown: string): readonly GuideBlock[] {
  return [...markdown.matchAll(fence)].map((match) => {
    const [, indent = '', language = '', indented = ''] = match
    const before = markdown.slice(0, match.index)
    const text = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const file = fileName.exec(text)?.[1]
    const e2e = /<!-- e2e: (\S+) -->\s*$/.exec(before)?.[1]
    const testedBy = /<!-- tested by: (\S+) -->\s*$/.exec(before)?.[1]
    const line = before.split('\n').length
    return {
      guide,
      line,
      language,
      text,
      ...(file !== undefined && { file }),
      ...(e2e !== undefined && { e2e }),
      ...(testedBy !== undefined && { testedBy }),
    }
  })
}

/**
 * Returns the lines of code blocks that are only indented, so that no runner could see them. Code is indented by four
 * columns more than the text before it; a list item continues with less.
 */
export function indentedBlocks(markdown: string): readonly number[] {
  const withoutFences = markdown.replaceAll(fence, (block, indent: string) => block.replaceAll(/[^\n]+/g, `${indent}x`))
  const lines = withoutFences.split('\n')
  return lines.flatMap((line, index) => {
    if (!/^ {4,}\S/.test(line) || lines[index - 1] !== '') return []
    const previous = lines.slice(0, index).findLast((before) => before !== '') ?? ''
    return indentOf(line) >= textColumn(previous) + 4 ? [index + 1] : []
  })
}

const indentOf = (line: string): number => line.search(/\S/)

/** Returns the column where the text of a line begins, after the marker of a list item if there is one. */
const textColumn = (line: string): number => /^ *(?:(?:[-*+]|\d+[.)]) +)?/.exec(line)?.[0].length ?? 0
