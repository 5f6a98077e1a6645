/**
 * The built dashboard: one page for all of its URLs, and its files. They are read at the first request; while `npm start`
 * still builds them, a page says so.
 */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { codeOf } from '../../core/unknown-value.ts'
import { TextResponse } from '../text-response.ts'
import { pagePolicy } from './page.ts'
import { sign } from './style.ts'

/** In the package it is in dist/, beside the code; a checkout builds it into the same place. */
const isBuilt = import.meta.url.endsWith('.js')
const folder = new URL(isBuilt ? '../../dashboard/' : '../../../dist/dashboard/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
/** A file name of the build: a name, a hash and an extension, and nothing that could leave the folder. */
const assetName = /^[\w-]+(?:\.[\w-]+)*\.(js|css|svg)$/

const files = new Map<string, Buffer>()

/** A file of the dashboard. Its name changes with its content, so it may be cached for ever. */
export async function dashboardAsset(name: string): Promise<Response | null> {
  const kind = assetName.exec(name)?.[1]
  if (kind === undefined) return null
  const body = files.get(name) ?? (await read(`assets/${name}`))
  if (body === null) return null
  files.set(name, body)
  return new Response(new Uint8Array(body), {
    headers: {
      'content-type': types[kind] ?? 'application/octet-stream',
      'cache-control': 'public, max-age=31536000, immutable',
    },
  })
}

/** Whether a browser asks for a page: only then may an unknown path be one of the dashboard's. */
export function wantsPage(request: Request): boolean {
  return request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/html')
}

export async function dashboardPage(basePath: string): Promise<Response> {
  const built = await read('index.html')
  const html = built === null ? unbuilt : built.toString('utf8')
  // Its URLs are relative, and the page has many paths: the base says where they begin.
  const based = html.replace('<head>', `<head>\n    <base href="${basePath}/" />`)
  return htmlResponse(based, built === null ? { refresh: '2' } : {})
}

function htmlResponse(text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new TextResponse(text, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': pagePolicy,
      ...headers,
    },
  })
}

async function read(path: string): Promise<Buffer | null> {
  try {
    return await readFile(fileURLToPath(new URL(path, folder)))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

const unbuilt = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Evertick</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="pages.css">
</head>
<body class="narrow">
<main>
<h1 class="brand">${sign} Evertick</h1>
<p role="status">The dashboard is being built. This page opens it as soon as it is there.</p>
<p class="next">If it stays: <code>npm run build</code> builds it in a checkout. <a href="docs">The API</a> works without it.</p>
</main>
</body>
</html>
`
