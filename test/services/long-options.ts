/** `--name=value`, as PostgreSQL's and MariaDB's programs take them. */
export function longOptions(values: Readonly<Record<string, string | number>>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`)
}
