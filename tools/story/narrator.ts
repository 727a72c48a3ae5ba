import { wrapLines } from '@berth/text/wrap-lines'
import { styleText } from 'node:util'

/** Space before everything but titles. */
const INDENT = ' '.repeat(5)

/** Prints the story as plain lines, so that a pipe and a terminal show the same text. */
export interface Narrator {
  /** Width that the output of a program may have. */
  readonly outputColumns: number
  /** Prints the title of a chapter. */
  chapter(number: number, total: number, title: string): void
  /** Prints the title of a part without number. */
  section(title: string): void
  /** Prints what happens and why. */
  explain(text: string): void
  /** Prints a command that the reader could run. */
  command(text: string): void
  /** Prints a command as it must be pasted. */
  paste(command: string): void
  /** Prints a result that was read back from the API server or an app. */
  observed(text: string): void
  /** Prints the output of a program unchanged. */
  output(text: string): void
  /** Shows the progress of a wait after two seconds. Does nothing unless lines can be rewritten. */
  showWaiting(what: string): Disposable
  /** Pauses, so that the reader can follow. */
  pause(): Promise<void>
}

/** Lines are not longer, because a wide line is hard to read. */
const MAX_COLUMNS = 80
const MIN_COLUMNS = 40

/** Options of a narrator. */
export interface NarratorOptions {
  readonly write: (text: string) => void
  /** Width of the terminal. 0 or undefined: not known. */
  readonly columns?: number | undefined
  /** Pause after each chapter. 0 disables it. */
  readonly paceMs: number
  /** Whether lines can be rewritten to show the progress of a wait. */
  readonly isTerminal: boolean
  readonly hasColors: boolean
}

/** Creates a narrator that writes lines as wide as the terminal, from 40 to 80 columns. Commands are not wrapped. */
export function createNarrator({ write, columns = 0, paceMs, isTerminal, hasColors }: NarratorOptions): Narrator {
  const width = columns > 0 ? Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns)) : MAX_COLUMNS
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    hasColors ? styleText(format, text, { validateStream: false }) : text
  const line = (text: string): void => write(`${text}\n`)
  return {
    outputColumns: width - INDENT.length,
    chapter(number, total, title) {
      line('')
      const head = `${number}/${total}  `
      for (const [index, part] of wrapLines(title, width - head.length).entries())
        line(style('bold', `${index === 0 ? head : ' '.repeat(head.length)}${part}`))
    },
    section(title) {
      line('')
      line(style('bold', title))
    },
    paste(command) {
      line(`${INDENT}${style('cyan', command)}`)
    },
    explain(text) {
      for (const part of wrapLines(text, width - INDENT.length)) line(`${INDENT}${style('dim', part)}`)
    },
    command(text) {
      line(`${INDENT}${style('cyan', `$ ${text}`)}`)
    },
    observed(text) {
      const [first = '', ...rest] = wrapLines(text, width - INDENT.length - 2)
      line(`   ${style('green', '✔')} ${first}`)
      for (const part of rest) line(`${INDENT}${part}`)
    },
    output(text) {
      for (const part of text.trimEnd().split('\n')) line(`${INDENT}${part}`)
    },
    showWaiting(what) {
      if (!isTerminal) return { [Symbol.dispose]() {} }
      const startMs = performance.now()
      const timer = setInterval(() => {
        const seconds = Math.round((performance.now() - startMs) / 1000)
        if (seconds >= 2) write(`\r   … ${what} ${seconds} s `)
      }, 500)
      return {
        [Symbol.dispose]() {
          clearInterval(timer)
          if (performance.now() - startMs >= 2000) write('\r\u001b[2K')
        },
      }
    },
    async pause() {
      if (paceMs > 0) await new Promise((resolve) => setTimeout(resolve, paceMs))
    },
  }
}
