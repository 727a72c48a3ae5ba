import { spawn } from 'node:child_process'
import { styleText } from 'node:util'
import type { Check } from './checks.ts'

/**
 * Runs one check and prints a line with its result and time; a failed one also prints what the command said.
 *
 * @returns Whether the command exited with 0.
 */
export async function runCheck({ name, command, isLive = false }: Check): Promise<boolean> {
  const startMs = performance.now()
  if (process.stdout.isTTY || isLive) console.log(styleText('dim', `  ${name} …`))
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: ['ignore', isLive ? 'inherit' : 'pipe', isLive ? 'inherit' : 'pipe'] })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => output.push(text))
  }
  const status = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      output.push(`start ${program}: ${error.message}\n`)
      resolve(1)
    })
    child.once('close', (code) => resolve(code ?? 1))
  })
  const isOk = status === 0
  const seconds = `${((performance.now() - startMs) / 1000).toFixed(1)} s`
  if (!isOk) console.log(output.join('').trimEnd())
  console.log(
    `${isOk ? styleText('green', '✔') : styleText('red', '✘')} ${name.padEnd(18)} ${styleText('dim', seconds)}`,
  )
  if (!isOk) console.log(`  again with: ${command.join(' ')}`)
  return isOk
}
