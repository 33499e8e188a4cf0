export function fileURLToPath(url, name) {
    return decodeURIComponent(new RegExp('^file://(.*/)').exec(url)[1]) + name;
}
