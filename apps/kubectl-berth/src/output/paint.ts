import { styleText } from 'node:util'
import type { Terminal } from '../cli/terminal.ts'

/** What a coloured text means; the words say the same, colour is never the only sign. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong'

const styles = { good: 'green', bad: 'red', warn: 'yellow', dim: 'dim', strong: 'bold' } as const

/** Colours a text where the terminal has colours. */
export type Paint = (tone: Tone, text: string) => string

/** The painter of a terminal. */
export function paintFor({ hasColor }: Pick<Terminal, 'hasColor'>): Paint {
  return hasColor ? (tone, text) => styleText(styles[tone], text, { validateStream: false }) : (_, text) => text
}
