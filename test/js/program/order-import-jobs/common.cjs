log('  runs'); count();
