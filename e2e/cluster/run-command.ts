import { spawn } from 'node:child_process'

/** What a command left behind. */
export interface CommandResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** How to run it. */
export interface CommandOptions {
  /** Default: the folder of this process. */
  readonly cwd?: string
  /** Beside this process's environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** The command is ended after this time and counts as failed. */
  readonly timeoutMs?: number
  /** Called with each piece of output as it comes. */
  readonly onOutput?: (text: string) => void
}

/** Runs a program to its end; never rejects because of its exit status. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { cwd, env, input, timeoutMs = 120_000, onOutput }: CommandOptions = {},
): Promise<CommandResult> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      onOutput?.(text)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
      onOutput?.(text)
    })
    child.once('error', (error) =>
      resolve({ status: 127, stdout, stderr: `${stderr}start ${program}: ${error.message}` }),
    )
    child.once('close', (code) => resolve({ status: code ?? 1, stdout, stderr }))
    child.stdin.end(input)
  })
}

/**
 * Runs a program that must succeed.
 *
 * @returns Its stdout.
 * @throws Error with the command and its last words when it exits with anything but 0.
 */
export async function must(program: string, args: readonly string[], options?: CommandOptions): Promise<string> {
  const { status, stdout, stderr } = await runCommand(program, args, options)
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit ${status}: ${(stderr || stdout).trim().slice(-2000)}`)
  return stdout
}
