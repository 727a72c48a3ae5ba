/** Extracts the commands from a chart's NOTES, in order. A command is a line that starts with `$ `. */
export function notesCommands(notes: string): readonly string[] {
  return [...notes.matchAll(/^ *\$ (.+)$/gm)].map(([, command = '']) => command.trimEnd())
}
