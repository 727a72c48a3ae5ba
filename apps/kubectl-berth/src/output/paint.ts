import { styleText } from 'node:util'
import type { Terminal } from '../cli/terminal.ts'

/** Meaning of a colour. The words say the same: colour is never the only sign. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong'

const styles = { good: 'green', bad: 'red', warn: 'yellow', dim: 'dim', strong: 'bold' } as const

/** Colours a text when the terminal supports colours. */
export type Paint = (tone: Tone, text: string) => string

/** Returns the function that colours text for a terminal. */
export function paintFor({ hasColor }: Pick<Terminal, 'hasColor'>): Paint {
  return hasColor ? (tone, text) => styleText(styles[tone], text, { validateStream: false }) : (_, text) => text
}
