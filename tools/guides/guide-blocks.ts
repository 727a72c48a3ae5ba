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
    const line = before.split('\n').length
    return { guide, line, language, text, ...(file !== undefined && { file }), ...(e2e !== undefined && { e2e }) }
  })
}

/** Returns the lines of code blocks that are only indented, so that no runner could see them. */
export function indentedBlocks(markdown: string): readonly number[] {
  const withoutFences = markdown.replaceAll(fence, (block) => block.replaceAll(/[^\n]+/g, 'x'))
  const lines = withoutFences.split('\n')
  return lines.flatMap((line, index) => (/^ {4}\S/.test(line) && lines[index - 1] === '' ? [index + 1] : []))
}
