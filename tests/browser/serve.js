// A server of a built book, for the drivers.

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const TYPES = {
    '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml',
    '.png': 'image/png',
    '.woff2': 'font/woff2', '.wasm': 'application/wasm', '.json': 'application/json',
};

/** Serves the folder `root` at a port of its own: the server, once it listens. */
module.exports = root => {
    const server = http.createServer((request, response) => {
        const name = decodeURIComponent(new URL(request.url, 'http://book').pathname);
        const file = path.join(root, name.endsWith('/') ? `${name}index.html` : name);
        fs.readFile(file, (error, content) => {
            response.writeHead(error ? 404 : 200,
                { 'Content-Type': TYPES[path.extname(file)] ?? 'text/plain' });
            response.end(error ? '' : content);
        });
    });
    return new Promise(ready => server.listen(0, '127.0.0.1', () => ready(server)));
};
